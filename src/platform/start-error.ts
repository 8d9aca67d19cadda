/** A problem at the start that a person can solve: its message says what is wrong and what to do, so no stack trace is printed. */
export class StartError extends Error {}
