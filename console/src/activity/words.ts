import { labelOf } from '../ui/schema-fields';

/** Names of the API that are different in the console. */
const CALLED: Record<string, string> = { report: 'evaluation', request_log: 'request', prompt_template: 'prompt' };

/** Whole words only. */
const RENAMED = new RegExp(`(?<![a-z])(?:${Object.keys(CALLED).join('|')})(?![a-z])`, 'g');

/** The same name with the words of the console. */
const asCalled = (name: string): string => name.replace(RENAMED, (part) => CALLED[part]!);

/** `prompt_template_label_moved` and `report.run` as people read them: `Prompt label moved`, `Evaluation: run`. */
export const inWords = (name: string): string => labelOf(asCalled(name).replace('.', ': '));

/** Ids that are not shown. */
const UUID = /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/i;
/** Characters of one text of an event. */
const SHOWN = 80;

/** The texts and numbers of an event in a line: `evaluation id: 8, evaluation name: First`. Lists and objects are left to the API. */
export function factsOf(details: Record<string, unknown>): string {
  const facts = Object.entries(details).flatMap(([key, value]) => {
    if (typeof value !== 'number' && typeof value !== 'boolean' && typeof value !== 'string') return [];
    const text = String(value);
    if (UUID.test(text)) return [];
    return [`${asCalled(key).replaceAll('_', ' ')}: ${text.length > SHOWN ? `${text.slice(0, SHOWN)}…` : text}`];
  });
  return facts.join(', ');
}
