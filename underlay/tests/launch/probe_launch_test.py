"""The probe, started by a launch file with arguments, answers and stops cleanly."""
