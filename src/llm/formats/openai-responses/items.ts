import type { JsonObject, JsonValue } from '../../../platform/json.js';
import type { ContentPart } from '../../shared/blueprint.js';
import { compact, textOrNull } from '../../shared/json-reading.js';
import { readMedia } from '../shared/media.js';

interface ItemForm {
  /** Fields that the endpoint needs to place the item. Without them the item is left out. */
  required: string[];
  optional: string[];
  defaults?: JsonObject;
}

/** Built-in calls, their results and approvals are stored in the form in which they go back. */
const FORMS = new Map<string, ItemForm>([
  ['mcp_list_tools', { required: ['id'], optional: ['server_label', 'error'], defaults: { tools: [] } }],
  [
    'mcp_call',
    {
      required: ['id'],
      optional: ['name', 'server_label', 'arguments', 'output', 'error', 'approval_request_id', 'status'],
    },
  ],
  ['mcp_approval_request', { required: ['id'], optional: ['name', 'arguments', 'server_label'] }],
  ['mcp_approval_response', { required: ['approval_request_id'], optional: ['id', 'approve'] }],
  ['shell_call', { required: ['call_id'], optional: ['id', 'status'], defaults: { action: {} } }],
  ['shell_call_output', { required: ['call_id'], optional: ['id', 'status'], defaults: { output: [] } }],
  ['apply_patch_call', { required: ['call_id'], optional: ['id'], defaults: { operation: {}, status: 'completed' } }],
  ['apply_patch_call_output', { required: ['call_id'], optional: ['id', 'output'], defaults: { status: 'completed' } }],
]);

/**
 * The item of OpenAI's endpoint for responses that consists of these parts; null when they are content of a message, or
 * were not made by the endpoint. Several parts are one item only if they are thoughts with the same id.
 */
export function responseItem(parts: ContentPart[], byModel: boolean): JsonObject | null {
  const [part] = parts;
  const form = FORMS.get(part.type);
  if (form) return formItem(part, form);
  if (!byModel) return null;
  if (part.type === 'thinking') return reasoningItem(parts);
  if (part.type === 'code') return codeItem(part);
  return part.type === 'output_media' ? imageItem(part) : null;
}

function formItem(part: ContentPart, { required, optional, defaults = {} }: ItemForm): JsonObject | null {
  if (required.some((member) => textOrNull(part[member]) === null)) return null;
  const members = [...required, ...optional].map((member): [string, JsonValue] => [member, part[member] ?? null]);
  const filled = Object.entries(defaults).map(([member, value]): [string, JsonValue] => [
    member,
    part[member] ?? value,
  ]);
  return { type: part.type, ...compact(Object.fromEntries(members)), ...Object.fromEntries(filled) };
}

/** Thoughts of other vendors have other ids, or none: the endpoint would refuse them. */
function reasoningItem(parts: ContentPart[]): JsonObject | null {
  const id = textOrNull(parts[0].id);
  if (id?.startsWith('rs_') !== true) return null;
  const texts = parts.map((part) => textOrNull(part.thinking)).filter((text) => text !== null);
  return { type: 'reasoning', id, summary: texts.map((text) => ({ type: 'summary_text', text })) };
}

function codeItem(part: ContentPart): JsonObject | null {
  const [id, container_id] = [textOrNull(part.id), textOrNull(part.container_id)];
  if (id === null || container_id === null) return null;
  return { type: 'code_interpreter_call', id, container_id, code: part.code ?? '', outputs: [], status: 'completed' };
}

function imageItem(part: ContentPart): JsonObject | null {
  const [id, media] = [textOrNull(part.id), readMedia(part)];
  if (id === null || media?.kind !== 'image' || media.data === null) return null;
  return { type: 'image_generation_call', id, result: media.data, status: 'completed' };
}
