/// What holds in every process of tests, and in what it starts: linking it is enough.
