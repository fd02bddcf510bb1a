"""The walk of a video from file to file: in two passes, or in one."""
