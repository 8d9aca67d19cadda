import type { Prompt } from '../../llm/shared/blueprint.js';
import { mapTexts, textsOf } from '../shared/prompt-text.js';

/** A mark such as `@@@greeting@label:prod@@@` in the text of a prompt. */
export interface SnippetReference {
  /** The text between the marks. */
  text: string;
  name: string;
  /** null without a version, and NaN for one that is not a number and cannot be resolved. */
  version: number | null;
  label: string | null;
}

const MARK = /@@@([^\n]+?)@@@/g;
const VERSION = '@version_number:';
const LABEL = '@label:';

/** The distinct references in the texts of a prompt, in the order they appear. */
export function findReferences(prompt: Prompt): SnippetReference[] {
  const marks = textsOf(prompt).flatMap((text) => [...text.matchAll(MARK)].map(([, inside]) => inside));
  return [...new Set(marks)].map(parseReference);
}

/** A copy of the prompt with its references replaced; null leaves a mark as it is. */
export function replaceReferences(prompt: Prompt, content: (reference: string) => string | null): Prompt {
  return mapTexts(prompt, (text) => text.replace(MARK, (mark, inside: string) => content(inside) ?? mark));
}

export function parseReference(text: string): SnippetReference {
  const [byVersion, byLabel] = [text.indexOf(VERSION), text.indexOf(LABEL)];
  if (byVersion > 0) {
    const version = text.slice(byVersion + VERSION.length);
    return {
      text,
      name: text.slice(0, byVersion),
      version: /^[1-9]\d{0,8}$/.test(version) ? Number(version) : NaN,
      label: null,
    };
  }
  if (byLabel > 0)
    return { text, name: text.slice(0, byLabel), version: null, label: text.slice(byLabel + LABEL.length) };
  return { text, name: text, version: null, label: null };
}
