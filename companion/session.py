"""The loop: frame, observation, verdict, lights and page."""
