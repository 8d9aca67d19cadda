/** Lists of names, networks and permissions have no order. */
const inOneForm = (value: unknown): string =>
  JSON.stringify(Array.isArray(value) ? value.map(String).toSorted((a, b) => a.localeCompare(b)) : value);

/**
 * The fields of a form that differ from the stored state that it was drawn with. Sending only these keeps what somebody
 * else has changed in the meantime.
 */
export function changesOf<T extends object>(form: T, drawn: object): Partial<T> {
  const stored = new Map<string, unknown>(Object.entries(drawn));
  const changed = Object.entries(form).filter(([name, value]) => inOneForm(value) !== inOneForm(stored.get(name)));
  return Object.fromEntries(changed) as Partial<T>;
}

/** Sends the changes of a form, if there are any: the server refuses an empty change. */
export async function sendChanges<T extends object>(
  form: T,
  drawn: object,
  send: (changes: Partial<T>) => Promise<unknown>,
): Promise<void> {
  const changes = changesOf(form, drawn);
  if (Object.keys(changes).length > 0) await send(changes);
}
