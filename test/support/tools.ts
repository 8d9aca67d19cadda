import type { Client } from './client.js';

export const TOOLS = '/api/public/v2/tool-registry';

export interface ToolDetail {
  id: number;
  name: string;
  labels: { name: string; version_number: number }[];
  version: { number: number; tool_definition: object; execution: object | null };
}

export interface ToolResult {
  status: 'success' | 'error';
  result: unknown;
  stdout: string;
  stderr: string;
  duration_ms: number;
  error: { type: string; message: string } | null;
}

export type Language = 'python' | 'javascript';

export const definitionOf = (name: string) => ({ type: 'function', function: { name, description: `It is ${name}.` } });
export const executionOf = (language: Language, code: string) => ({ type: 'code', language, code });

export async function createTool(me: Client, name: string, rest: object = {}): Promise<number> {
  const body = { name, tool_definition: definitionOf(name), ...rest };
  return ((await me.post(TOOLS, body, 201)) as { tool_registry: { id: number } }).tool_registry.id;
}

export async function saveVersion(me: Client, tool: number | string, definition: object): Promise<number> {
  const body = { tool_definition: definition };
  const { version } = (await me.post(`${TOOLS}/${tool}/versions`, body, 201)) as { version: { number: number } };
  return version.number;
}

export async function readTool(me: Client, identifier: number | string, query = ''): Promise<ToolDetail> {
  const path = `${TOOLS}/${encodeURIComponent(identifier)}${query}`;
  return ((await me.get(path)) as { tool_registry: ToolDetail }).tool_registry;
}

/** Runs code once, as that of a tool that exists. */
export async function testExecute(me: Client, tool: number | string, body: object): Promise<ToolResult> {
  return ((await me.post(`${TOOLS}/${tool}/test-execute`, body)) as { result: ToolResult }).result;
}
