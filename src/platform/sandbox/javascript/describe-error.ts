const MAX_MESSAGE = 10_000;

/** What was thrown as people read it, with the line of the code it came from. */
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

/** Evaluated code has this name in stacks. */
const PLACE = /<input>:(\d+)/;

function lineIn(stack: string): string {
  const line = PLACE.exec(stack)?.[1];
  return line ? ` (line ${line})` : '';
}
