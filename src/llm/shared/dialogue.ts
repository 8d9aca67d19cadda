import { type Message, type Prompt, newMessage, newChat } from './blueprint.js';

const isInstruction = ({ role }: Message): boolean => role === 'system' || role === 'developer';

/** Whether a prompt has more than instructions. */
export function hasDialogue(prompt: Prompt): boolean {
  return prompt.type === 'completion' || !prompt.messages.every(isInstruction);
}

/** The text of a completion, and instructions that stand alone, as a message of the user. */
export function asDialogue(prompt: Prompt): Prompt {
  if (prompt.type === 'completion') return newChat([newMessage('user', null, prompt.content)]);
  if (hasDialogue(prompt)) return prompt;
  return { ...prompt, messages: prompt.messages.map((message) => ({ ...message, role: 'user' })) };
}
