import { defineErrors } from '../../platform/errors/problem.js';

/** A text of the client as messages show it: it may be long, and may hold anything. */
const shown = (text: string): string => JSON.stringify(String(text).slice(0, 200));

export const SkillErrors = defineErrors({
  skill_collection_not_found: {
    status: 404,
    message: (identifier: string | number) => `Skill collection ${identifier} was not found in this workspace.`,
  },
  skill_version_not_found: {
    status: 404,
    message: (collection: string, version: number) => `Skill collection ${collection} has no version ${version}.`,
  },
  skill_label_not_found: {
    status: 404,
    message: (collection: string, label: string) => `Skill collection ${collection} has no release label ${label}.`,
  },
  skill_version_labelled: {
    status: 409,
    message: (version: number, label: string) =>
      `Version ${version} has the label ${label}, and a version of a skill collection has one label.`,
  },
  skill_workspace_forbidden: {
    status: 403,
    message: 'Invalid workspace_id: the API key belongs to another workspace. Leave it out.',
  },
  skill_collections_exceeded: {
    status: 403,
    message: (plan: string, most: number) =>
      `The plan "${plan}" of this workspace allows ${most} skill collection(s). Delete one, or ask the operator for another plan.`,
  },
  skill_files_exceeded: {
    status: 403,
    message: (plan: string, most: number, count: number) =>
      `The collection would have ${count} files, and the plan "${plan}" of this workspace allows ${most} in each.`,
  },
  skill_file_too_large: {
    status: 400,
    message: (path: string, limit: number) => `The file ${shown(path)} is larger than ${limit} bytes.`,
  },
  skill_path_invalid: {
    status: 400,
    message: (path: string, problem: string) => `The path ${shown(path)} cannot be used: ${problem}.`,
  },
  skill_path_taken: {
    status: 400,
    message: (path: string) =>
      `The path ${shown(path)} would be there twice, or as a file and as a folder; letter case does not make another path.`,
  },
  skill_path_not_found: {
    status: 400,
    message: (path: string) => `The latest version has no file and no folder ${shown(path)}.`,
  },
  skill_name_invalid: {
    status: 400,
    message:
      'The name must be one that a folder can have: without slashes, backslashes and control characters, and not only dots.',
  },
  skill_provider_unknown: {
    status: 400,
    message: (provider: string) =>
      `The provider ${shown(provider)} is not known. Send claude_code, openai, openclaw or universal.`,
  },
  skill_version_ambiguous: { status: 400, message: 'Send either label or version, not both.' },
  skill_format_unknown: {
    status: 400,
    message: (format: string) => `The format ${shown(format)} is not known. Send zip, or json, which is the default.`,
  },
  skill_archive_invalid: { status: 400, message: (problem: string) => `The archive cannot be used: ${problem}.` },
});
