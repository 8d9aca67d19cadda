const MAX_MESSAGE = 10_000;

/** Name and message of a thrown value, with the line of the code where it was thrown. */
export function errorParts(thrown: unknown): { type: string; message: string } {
  try {
    const isError = typeof thrown === 'object' && thrown !== null;
    const { name, message, stack } = (isError ? thrown : { message: thrown }) as Partial<Error>;
    const text = String(message ?? '').slice(0, MAX_MESSAGE);
    return { type: String(name ?? 'Error').slice(0, MAX_MESSAGE), message: (text + lineIn(String(stack))).trim() };
  } catch {
    return { type: 'Error', message: 'Uncaught error' };
  }
}

/** Describes a thrown value for people, with the line of the code where it was thrown. */
export function describeError(thrown: unknown): string {
  try {
    if (typeof thrown !== 'object' || thrown === null) return `Uncaught ${String(thrown)}`.slice(0, MAX_MESSAGE);
    const { name, message, stack } = thrown as Partial<Error>;
    const text = message ? `${name ?? 'Error'}: ${message}` : String(name ?? thrown);
    return text.slice(0, MAX_MESSAGE) + lineIn(String(stack));
  } catch {
    return 'Uncaught error';
  }
}

/** Name of evaluated code in stacks. */
const PLACE = /<input>:(\d+)/;

function lineIn(stack: string): string {
  const line = PLACE.exec(stack)?.[1];
  return line ? ` (line ${line})` : '';
}
