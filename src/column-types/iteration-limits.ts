/** Most answers of the agent in one simulated conversation. */
export const MAX_TURNS = 150;

/** Most iterations of one loop. Each of them is a call that is paid for, so a mistake in a list must not cost without end. */
export const MAX_ITERATIONS = 1_000;

/** Longest time one cell may take whose calls follow each other. */
export const MANY_CALLS_MS = 3_600_000;
