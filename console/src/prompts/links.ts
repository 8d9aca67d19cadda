/** The list of calls of a prompt, or of one version of it. */
export function callsOf(name: string, version?: number): string {
  const conditions = [`prompt_name is ${name}`];
  if (version !== undefined) conditions.push(`prompt_version_number eq ${version}`);
  return `/logs?${new URLSearchParams({ f: conditions.join('\n') }).toString()}`;
}

/** A version in the playground. */
export const playgroundOf = ({ id, version }: { id: number; version: number }): string =>
  `/playground?prompt=${id}&version=${version}`;

export const promptPath = (id: number): string => `/prompts/${id}`;
