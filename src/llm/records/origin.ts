/**
 * Origin of a call or a trace: an application that reports it, or this server, for the cells of a sheet, for an
 * evaluation, for a run of a workflow, or for a trial of a prompt. `application` comes first alphabetically; aggregates
 * rely on it.
 */
export const ORIGINS = ['application', 'evaluation', 'sheet', 'trial', 'workflow'] as const;
export type Origin = (typeof ORIGINS)[number];

/** Longer names are cut. */
const LONGEST_ENVIRONMENT = 200;

/** The deployment environment that a value names, such as "production"; null when it names none. */
export function toEnvironment(value: unknown): string | null {
  if (typeof value !== 'string') return null;
  return value.trim().slice(0, LONGEST_ENVIRONMENT) || null;
}
