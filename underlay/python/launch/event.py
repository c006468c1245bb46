"""Something that has happened."""


class Event:
    name = "launch.Event"
