import type { ContentPart, Prompt } from '../../llm/shared/blueprint.js';

/** A copy of a prompt in which every text part went through `change`; nothing else is touched. */
export function mapTexts(prompt: Prompt, change: (text: string) => string): Prompt {
  const mapParts = (parts: ContentPart[]) =>
    parts.map((part) => (isText(part) ? { ...part, text: change(part.text) } : part));
  if (prompt.type === 'completion') return { ...prompt, content: mapParts(prompt.content) };
  const messages = prompt.messages.map((message) => ({
    ...message,
    content: message.content && mapParts(message.content),
  }));
  return { ...prompt, messages };
}

/** Every text part of a prompt, in order. */
export function textsOf(prompt: Prompt): string[] {
  const parts = prompt.type === 'completion' ? prompt.content : prompt.messages.flatMap(({ content }) => content ?? []);
  return parts.filter(isText).map((part) => part.text);
}

function isText(part: ContentPart): part is ContentPart & { text: string } {
  return part.type === 'text' && typeof part.text === 'string';
}
