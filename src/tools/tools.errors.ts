import { defineErrors } from '../platform/errors/problem.js';

export const ToolErrors = defineErrors({
  tool_not_found: {
    status: 404,
    message: (identifier: string | number) => `Tool ${identifier} was not found in this workspace.`,
  },
  tool_version_not_found: {
    status: 404,
    message: (tool: string, version: number) => `Tool ${tool} has no version ${version}.`,
  },
  tool_label_not_found: {
    status: 404,
    message: (tool: string, label: string) => `Tool ${tool} has no label ${label}.`,
  },
  tool_name_taken: {
    status: 409,
    message: (name: string) => `There is a tool named "${name}" already. Save a version of it, or choose another name.`,
  },
  tool_not_executable: {
    status: 400,
    message: (tool: string) =>
      `Tool ${tool} has no code. Save a version with "execution", or send "execution" with the request.`,
  },
  tool_function_unnamed: {
    status: 400,
    message: (tool: string) =>
      `The definition of tool ${tool} names no function. Give it as "function": {"name": …} in "tool_definition".`,
  },
  tool_timeout: {
    status: 502,
    message: (seconds: number) => `The code took longer than ${seconds} seconds and was stopped (TOOL_TIME_LIMIT_MS).`,
  },
  tool_sandbox_failed: {
    status: 502,
    message:
      'The sandbox could not run the code. Try it again; when it fails again, the code may break the interpreter.',
  },
});
