/**
 * A problem at the start that a person can solve: its message names the problem and the solution, so no stack trace is
 * printed.
 */
export class StartError extends Error {}
