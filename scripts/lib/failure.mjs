/** A problem that a person can solve: only its message is printed. */
export class Failure extends Error {}

/** Ends the command with what went wrong. */
export function exitWith(error) {
  console.error(error instanceof Failure ? `\n${error.message}\n` : error);
  process.exit(1);
}
