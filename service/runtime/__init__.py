"""Process and operating system: thread pools, limits, disk, systemd, shutdown."""
