import type { Client } from './client.js';
import type { TestApp } from './test-app.js';

export const PUBLISH = '/rest/prompt-templates';
export const PROMPTS = '/prompt-templates';
const ENTITIES = '/api/public/v2/folders/entities';

export interface PublishedPrompt {
  id: number;
  prompt_name: string;
  version_number: number;
  prompt_version_id: number;
  prompt_template: { type: string; messages?: Message[]; content?: { text?: string }[]; input_variables: string[] };
  metadata: PromptMetadata | null;
  commit_message: string | null;
  tags: string[];
  release_labels: string[] | null;
  external_ids: { source: string; external_id: string }[];
  workspace_id: number;
  folder_id: number | null;
}
/** A version as it is read, with or without its variables filled in. */
export interface ReadPrompt {
  id: number;
  prompt_name: string;
  version: number;
  prompt_version_id: number;
  prompt_template: PublishedPrompt['prompt_template'];
  metadata: PromptMetadata | null;
  commit_message: string | null;
  tags: string[];
  is_snippet: boolean;
  created_at: string;
  llm_kwargs: Record<string, unknown> | null;
  snippets: { prompt_name: string; version: number; label: string | null }[];
  warning?: string | null;
}
interface PromptMetadata {
  model: { provider: string; name: string; api_type: string | null; parameters: Record<string, unknown> } | null;
}
interface Message {
  role: string;
  content: { type: string; text?: string }[];
  input_variables: string[];
}

export interface PromptOptions {
  labels?: string[];
  folderId?: number;
  tags?: string[];
  /** A completion prompt with this text instead of a chat. */
  text?: string;
  /** The text of the only message of the chat. */
  message?: string;
  format?: 'f-string' | 'jinja2';
  isSnippet?: boolean;
  model?: object | null;
  externalIds?: { source: string; external_id: string }[];
  /** The whole content instead of a chat with one message. */
  template?: object;
  /** Further fields of the version. */
  version?: object;
}

/** The body that publishes a version. By default a chat with one user message and a model. */
export function promptBody(name: string, options: PromptOptions = {}): Record<string, unknown> {
  const { labels, folderId, tags, isSnippet, externalIds } = options;
  const model = options.model === undefined ? { provider: 'openai', name: 'gpt-4o-mini' } : options.model;
  return {
    prompt_template: { prompt_name: name, folder_id: folderId, tags, is_snippet: isSnippet },
    prompt_version: { prompt_template: templateOf(options), metadata: model && { model }, ...options.version },
    release_labels: labels,
    external_ids: externalIds,
  };
}

function templateOf(options: PromptOptions): object {
  const { template, text, message = 'Hello {name}!', format: template_format } = options;
  if (template) return template;
  const part = (content: string) => [{ type: 'text', text: content }];
  if (text !== undefined) return { type: 'completion', content: part(text), template_format };
  return { type: 'chat', messages: [{ role: 'user', content: part(message), template_format }] };
}

export async function publishPrompt(
  client: Client,
  name: string,
  options: PromptOptions = {},
): Promise<PublishedPrompt> {
  return (await client.post('/rest/prompt-templates', promptBody(name, options), 201)) as PublishedPrompt;
}

/** The address of a prompt by name or id. */
export const promptUrl = (identifier: string | number, prefix = PROMPTS) =>
  `${prefix}/${encodeURIComponent(String(identifier))}`;

export async function readPrompt(client: Client, identifier: string | number, query = ''): Promise<ReadPrompt> {
  return (await client.get(promptUrl(identifier) + query)) as ReadPrompt;
}

export async function renderPrompt(client: Client, identifier: string | number, body?: object): Promise<ReadPrompt> {
  return (await client.post(promptUrl(identifier), body)) as ReadPrompt;
}

/** The text parts of a prompt, message by message. */
export function textsOf({ prompt_template: { messages, content } }: Pick<ReadPrompt, 'prompt_template'>): string[] {
  const joined = (parts: { text?: string }[] | null | undefined) => (parts ?? []).map(({ text }) => text).join('');
  return messages ? messages.map((message) => joined(message.content)) : [joined(content)];
}

export async function patchPrompt(client: Client, identifier: string | number, body: object): Promise<PublishedPrompt> {
  return (await client.patch(promptUrl(identifier, PUBLISH), body, 201)) as PublishedPrompt;
}

export async function deletePrompt(client: Client, id: number, type = 'PROMPT'): Promise<void> {
  await client.delete(ENTITIES, 200, { entities: [{ id, type }] });
}

/** The labels of a prompt with the number of the version that each is on. */
export async function labelsOf(client: Client, identifier: string | number): Promise<Record<string, number>> {
  const { release_labels: labels } = (await client.get(`${promptUrl(identifier)}/labels`)) as {
    release_labels: { release_label: string; prompt_version_number: number }[];
  };
  return Object.fromEntries(labels.map((label) => [label.release_label, label.prompt_version_number]));
}

/** A client with a further key of a workspace. */
export async function clientOf(app: TestApp, workspaceId: number, key: object): Promise<Client> {
  const url = `/api/admin/v1/workspaces/${workspaceId}/api-keys`;
  const { secret } = (await app.operator().post(url, key, 201)) as { secret: string };
  return app.clientWith(secret);
}
