import { isObject, type JsonObject, type JsonValue } from '../../platform/json.js';
import { firstText } from './parts.js';

/** Batches of conversations nest lists; containers are not nested more deeply in practice. */
const MAX_DEPTH = 6;

/** Members that hold the messages of a request or of an answer. */
const CONTAINERS = ['messages', 'choices', 'generations', 'candidates', 'contents'];

/** Members that hold the one message of a choice; Google calls it content. */
const WRAPPERS = ['message', 'kwargs', 'content'];

/** Members in which requests put the instructions separately from the messages. */
const INSTRUCTIONS = ['system', 'systemInstruction', 'system_instruction'];

/** LangChain's classes by the role of their messages; chunks are named after them. */
const LANGCHAIN_ROLES: [RegExp, string][] = [
  [/^HumanMessage/, 'user'],
  [/^AIMessage/, 'assistant'],
  [/^SystemMessage/, 'system'],
  [/^ToolMessage/, 'tool'],
  [/^FunctionMessage/, 'function'],
];

/**
 * The single messages inside a value: lists are flattened; requests, answers, choices and serialised LangChain objects
 * are unpacked until a message or plain content is left.
 */
export function messageObjects(value: JsonValue, depth = 0): JsonValue[] {
  if (depth > MAX_DEPTH) return [value];
  if (Array.isArray(value)) return value.flatMap((entry) => messageObjects(entry, depth + 1));
  if (!isObject(value)) return value === null || value === '' ? [] : [value];
  const container = CONTAINERS.find((member) => Array.isArray(value[member]));
  if (container !== undefined) return [...instructions(value), ...messageObjects(value[container], depth + 1)];
  const wrapper = wrapperOf(value);
  if (wrapper === null) return [value];
  return messageObjects(unwrap(value, wrapper), depth + 1);
}

function instructions(request: JsonObject): JsonValue[] {
  const given = INSTRUCTIONS.map((member) => request[member]).find((value) => value !== undefined && value !== null);
  if (given === undefined) return [];
  return [isObject(given) ? { ...given, role: 'system' } : { role: 'system', content: given }];
}

/** A `content` wraps a message only if it is one itself, which is how Google answers. */
function wrapperOf(value: JsonObject): string | null {
  if (typeof value.role === 'string') return null;
  const member = WRAPPERS.find((name) => isObject(value[name]));
  if (member === undefined) return null;
  const inner = value[member] as JsonObject;
  return member !== 'content' || Array.isArray(inner.parts) ? member : null;
}

function unwrap(value: JsonObject, member: string): JsonObject {
  const inner = value[member] as JsonObject;
  if (member !== 'kwargs' || typeof inner.role === 'string') return inner;
  const path = Array.isArray(value.id) ? value.id : [];
  const className = firstText(path[path.length - 1]);
  const role = LANGCHAIN_ROLES.find(([pattern]) => pattern.test(className))?.[1];
  return role === undefined ? inner : { ...inner, role };
}
