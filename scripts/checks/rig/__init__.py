"""What the integration checks share: a private sound server, endpoints as processes, speech, WAV files, verdicts."""
