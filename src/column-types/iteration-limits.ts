/** Maximum number of the agent's answers in one simulated conversation. */
export const MAX_TURNS = 150;

/** Maximum number of iterations of a loop. Each is a paid call, so this limits the cost of a mistake in a list. */
export const MAX_ITERATIONS = 1_000;

/** Time limit of a cell that makes calls one after the other. */
export const MANY_CALLS_MS = 3_600_000;
