# make play   set up and play on the demo table (PORT=8081 for another port)
# make test   set up and pass every check
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin

.PHONY: pi service help play test check format bench eyes watching train browser lock clean

help:
	@sed -n 's/^# \(make .*\)/\1/p' Makefile

play: $(VENV)/play
	$(BIN)/companion play --table demo $(if $(PORT),--port $(PORT))

test: check
	OMP_NUM_THREADS=1 $(BIN)/python -m pytest -n 2 -q

check: $(VENV)/dev
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy
	$(BIN)/lint-imports

# make format write the code as the checks want it
format: $(VENV)/dev
	$(BIN)/ruff format .
	$(BIN)/ruff check --fix .

# make bench  time the hot paths, side by side, on one thread
bench: $(VENV)/dev
	$(BIN)/pip install --quiet --require-hashes -r requirements-bench.txt
	OMP_NUM_THREADS=1 $(BIN)/python -m pytest -m bench -q -s tests/bench

# make eyes   measure the eyes on random scenes, and on ../shared/photos if there
eyes: $(VENV)/dev
	OMP_NUM_THREADS=1 $(BIN)/python -m tests.bench.eyes

# make watching  measure how whole games are followed on virtual photos
watching: $(VENV)/dev
	OMP_NUM_THREADS=1 $(BIN)/python -m tests.bench.watching

# make train  teach eyes from nothing, into build: about thirteen hours (vision/training)
# Each step asks for the same memory: given back in between, half the time is lost.
train: export MALLOC_MMAP_THRESHOLD_ = 4294967296
train: export MALLOC_TRIM_THRESHOLD_ = 17179869184
train: export MALLOC_TOP_PAD_ = 268435456
train: $(VENV)/dev
	$(BIN)/pip install --quiet --disable-pip-version-check -e ".[train]"
	OMP_NUM_THREADS=1 $(BIN)/python -m vision.training.photos build/tables
	OMP_NUM_THREADS=1 $(BIN)/python -m vision.training.learn build/tables \
		--out build/network.npz
	OMP_NUM_THREADS=1 $(BIN)/python -m vision.training.closely build/tables \
		--eyes build/network.npz --out build/closer.npz
	OMP_NUM_THREADS=1 $(BIN)/python -m vision.training.learn build/tables \
		--boards chequered --start build/network.npz --rate 1e-3 --steps 14000 \
		--out build/network-chequered.npz
	OMP_NUM_THREADS=1 $(BIN)/python -m vision.training.closely build/tables \
		--boards chequered --start build/closer.npz --rate 1e-3 --steps 9000 \
		--eyes build/network-chequered.npz --out build/closer-chequered.npz
	OMP_NUM_THREADS=1 $(BIN)/python -m vision.training.photos build/usual \
		--usual --tables 1050
	OMP_NUM_THREADS=1 $(BIN)/python -m vision.training.learn build/usual \
		--start build/network-chequered.npz --muon --steps 20000 \
		--out build/network-pegs.npz
	OMP_NUM_THREADS=1 $(BIN)/python -m vision.training.closely build/usual \
		--start build/closer-chequered.npz --muon --steps 15000 \
		--eyes build/network-pegs.npz --out build/closer-pegs.npz
	OMP_NUM_THREADS=1 $(BIN)/python -m vision.training.photos build/tall \
		--first 500000 --usual --raised --tables 320
	OMP_NUM_THREADS=1 $(BIN)/python -m vision.training.photos build/tall \
		--first 600000 --usual --high --raised --tables 330
	OMP_NUM_THREADS=1 $(BIN)/python -m vision.training.learn build/tall \
		--boards paper --start build/network.npz --muon --rate 5e-4 --steps 4000 \
		--out build/network-tall-paper.npz
	OMP_NUM_THREADS=1 $(BIN)/python -m vision.training.closely build/tall \
		--boards paper --start build/closer.npz --muon --rate 5e-4 --steps 2500 \
		--eyes build/network-tall-paper.npz --out build/closer-tall-paper.npz
	OMP_NUM_THREADS=1 $(BIN)/python -m vision.training.learn build/tall \
		--boards paper --start build/network-pegs.npz --muon --rate 5e-4 --steps 3000 \
		--out build/network-tall-pegs.npz
	OMP_NUM_THREADS=1 $(BIN)/python -m vision.training.closely build/tall \
		--boards paper --start build/closer-pegs.npz --muon --rate 5e-4 --steps 1800 \
		--eyes build/network-tall-pegs.npz --out build/closer-tall-pegs.npz
	OMP_NUM_THREADS=1 $(BIN)/python -m vision.training.doubts build/usual \
		build/doubts-usual --tables 700
	OMP_NUM_THREADS=1 $(BIN)/python -m vision.training.relate build/doubts-usual \
		--muon --rate 3e-3 --steps 13000 --out build/relation-paper.npz
	OMP_NUM_THREADS=1 $(BIN)/python -m vision.training.photos build/unseen \
		--first 120000 --tables 660
	OMP_NUM_THREADS=1 $(BIN)/python -m vision.training.photos build/unseen \
		--first 120660 --usual --tables 330
	OMP_NUM_THREADS=1 $(BIN)/python -m vision.training.doubts build/unseen build/doubts
	OMP_NUM_THREADS=1 $(BIN)/python -m vision.training.relate build/doubts \
		--start build/relation-paper.npz --muon --steps 10000 \
		--out build/relation-chequered.npz
	OMP_NUM_THREADS=1 $(BIN)/python -m vision.training.photos build/fine \
		--first 300000 --chips --fine --raised --tables 544
	OMP_NUM_THREADS=1 $(BIN)/python -m vision.training.locate build/fine \
		--muon --rate 3e-3 --steps 5000 --out build/tops.npz
	OMP_NUM_THREADS=1 $(BIN)/python -m vision.training.doubts build/fine build/printed
	OMP_NUM_THREADS=1 $(BIN)/python -m vision.training.compare build/printed \
		--muon --steps 4000 --out build/prints.npz
	OMP_NUM_THREADS=1 $(BIN)/python -m vision.training.photos build/windows \
		--first 741000 --chips --fine --raised --windows --photos 4 --tables 1930
	OMP_NUM_THREADS=1 $(BIN)/python -m vision.training.doubts build/windows \
		build/printed-windows --lights 2
	OMP_NUM_THREADS=1 $(BIN)/python -m vision.training.compare \
		build/printed-windows --muon --steps 4000 --out build/prints-windows.npz

# make browser  try the page in Debian's chromium
browser: $(VENV)/dev
	$(BIN)/pip install --quiet --require-hashes -r requirements-browser.txt
	$(BIN)/python -m pytest -m browser -q tests/browser

# make lock   resolve the dependencies again
lock: $(VENV)/dev
	$(BIN)/pip install --quiet uv
	$(BIN)/uv pip compile -q --universal --generate-hashes pyproject.toml -o requirements.txt
	$(BIN)/uv pip compile -q --universal --generate-hashes --extra dev -c requirements.txt pyproject.toml -o requirements-dev.txt
	$(BIN)/uv pip compile -q --universal --generate-hashes --extra dev --extra bench -c requirements-dev.txt pyproject.toml -o requirements-bench.txt
	$(BIN)/uv pip compile -q --universal --generate-hashes --extra dev --extra browser -c requirements-dev.txt pyproject.toml -o requirements-browser.txt

# The package is always installed editable: its top-level names are generic. Where
# Debian's python3-venv is missing, venv leaves a python without pip: try again then.
$(VENV)/play: requirements.txt pyproject.toml
	@echo "Setting up in $(VENV), once: a minute or two, 100 MB from the package index."
	test -x $(BIN)/pip || $(PYTHON) -m venv $(VENV)
	$(BIN)/pip install --quiet --disable-pip-version-check --require-hashes -r requirements.txt
	$(BIN)/pip install --quiet --disable-pip-version-check --no-deps -e .
	touch $@

$(VENV)/dev: requirements-dev.txt $(VENV)/play
	$(BIN)/pip install --quiet --disable-pip-version-check --require-hashes -r requirements-dev.txt
	touch $@

# make pi     set up on a Raspberry Pi: its camera and lights too
# The environment sees the system's packages, as picamera2 comes from apt only; what
# fits this release's picamera2 stands in hardware/pip-*.txt.
CODENAME = $(shell . /etc/os-release && echo $$VERSION_CODENAME)
pi:
	sudo apt-get install -y --no-install-recommends \
		gcc python3-dev python3-venv python3-picamera2
	grep -qs "system-site-packages = true" $(VENV)/pyvenv.cfg \
		|| $(PYTHON) -m venv --clear --system-site-packages $(VENV)
	$(BIN)/pip install --quiet --disable-pip-version-check \
		$(addprefix -c ,$(wildcard hardware/pip-$(CODENAME).txt)) -e ".[pi]"
	sudo install -m 644 hardware/60-companion.rules /etc/udev/rules.d/
	touch $(VENV)/play
	-$(BIN)/companion doctor

# make service  start the companion whenever the Raspberry Pi starts
service:
	sed "s|@USER@|$(USER)|; s|@DIR@|$(CURDIR)|" hardware/companion.service \
		| sudo tee /etc/systemd/system/companion.service >/dev/null
	sudo systemctl daemon-reload
	sudo systemctl enable --now companion

clean:
	rm -rf $(VENV) build *.egg-info .mypy_cache .ruff_cache .pytest_cache .hypothesis
