"""What MPI collectives cost a program, and how to make that cost vanish."""
