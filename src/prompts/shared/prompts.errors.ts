import { defineErrors } from '../../platform/errors/problem.js';

export const PromptErrors = defineErrors({
  prompt_not_found: {
    status: 404,
    message: (identifier: string | number) => `Prompt ${identifier} was not found in this workspace.`,
  },
  prompt_version_not_found: {
    status: 404,
    message: (prompt: string, version: number) => `Prompt ${prompt} has no version ${version}.`,
  },
  prompt_label_not_found: {
    status: 404,
    message: (prompt: string, label: string) => `Prompt ${prompt} has no release label ${label}.`,
  },
  release_label_not_found: {
    status: 404,
    message: (id: number) => `Release label ${id} was not found in this workspace.`,
  },
  report_not_found: { status: 404, message: (id: number) => `Report ${id} was not found in this workspace.` },
  ab_release_not_found: { status: 404, message: (id: number) => `A/B release ${id} was not found in this workspace.` },
  ab_release_exists: {
    status: 409,
    message: (label: string) =>
      `The release label ${label} already has an A/B release. Change it with PATCH /api/public/v2/ab-releases/{ab_release_id}.`,
  },
  ab_release_unapproved: {
    status: 403,
    message: (label: string) =>
      `Changes of the label ${label} need the approval of a second person, which A/B releases cannot get. Use another label for the A/B release.`,
  },
  prompt_workspace_forbidden: {
    status: 403,
    message: 'This API key belongs to another workspace. Leave workspace_id out, or send the workspace of the key.',
  },
  release_label_taken: {
    status: 409,
    message: (label: string) =>
      `The prompt already has a release label ${label}. Move it with PATCH /prompt-labels/{prompt_label_id}.`,
  },
  prompt_name_taken: {
    status: 409,
    message: (name: string) => `Another prompt is already named ${name}. Choose a different name.`,
  },
  prompt_patch_conflict: { status: 400, message: (problem: string) => problem },
  prompt_patch_type_mismatch: {
    status: 400,
    message: (field: string, type: string) => `${field} cannot be patched: the prompt is a ${type} prompt.`,
  },
  prompt_patch_index_invalid: {
    status: 400,
    message: (field: string, index: string, length: number) =>
      `${field} has no index ${index}: it holds ${length} item(s), counted from 0.`,
  },
  prompt_not_in_library_format: {
    status: 400,
    message: (prompt: string, obstacle: string) =>
      `Prompt ${prompt} has ${obstacle}, for which the format of this route has no place. Read it with GET /prompt-templates/{identifier}.`,
  },
  prompt_snippets_excessive: {
    status: 400,
    message: (limit: number) => `The prompt imports more than ${limit} snippets, directly or inside other snippets.`,
  },
  prompt_too_large: {
    status: 400,
    message: (limit: number) => `With its snippets filled in the prompt is longer than ${limit} characters.`,
  },
});

/** Errors of every route that expands snippets. */
export const SNIPPET_LIMITS = [PromptErrors.prompt_too_large, PromptErrors.prompt_snippets_excessive];
