"""The commands, one per module: ``configure(parser)`` declares options,
``execute(arguments, console)`` runs it.
"""
