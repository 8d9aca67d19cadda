import { labelOf } from '../ui/schema-fields';

/** `prompt_template_label_moved` and `report.run` as people read them: `Prompt template label moved`, `Report: run`. */
export const inWords = (name: string): string => labelOf(name.replace('.', ': '));

/** Ids that nobody can read. */
const UUID = /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/i;
/** Characters of one text of an event. */
const SHOWN = 80;

/** The texts and numbers of an event in a line: `report id: 8, report name: First`. Lists and objects are left to the API. */
export function factsOf(details: Record<string, unknown>): string {
  const facts = Object.entries(details).flatMap(([key, value]) => {
    if (typeof value !== 'number' && typeof value !== 'boolean' && typeof value !== 'string') return [];
    const text = String(value);
    if (UUID.test(text)) return [];
    return [`${key.replaceAll('_', ' ')}: ${text.length > SHOWN ? `${text.slice(0, SHOWN)}…` : text}`];
  });
  return facts.join(', ');
}
