import { defineErrors } from '../../platform/errors/problem.js';

/** Their answers have the shape of RFC 7644, see `error-shape.ts`. */
export const ScimErrors = defineErrors({
  scim_token_invalid: {
    status: 401,
    message:
      'The SCIM token is missing or not valid. Send Authorization: Bearer <token> with a token that the operator has created at /api/admin/v1/scim-tokens.',
    headers: { 'www-authenticate': 'Bearer' },
  },
  scim_resource_not_found: { status: 404, message: (what: string, id: string) => `${what} ${id} was not found.` },
  scim_uniqueness: {
    status: 409,
    message: (attribute: string, value: string) =>
      `There is another resource with the ${attribute} "${value}". Find it by a filter and link it.`,
  },
  scim_filter_invalid: { status: 400, message: (problem: string) => `The filter is not valid: ${problem}` },
  scim_path_invalid: {
    status: 400,
    message: (path: string) => `"${path}" is no path of an attribute of this resource.`,
  },
  scim_target_missing: {
    status: 400,
    message: (path: string) => `The path "${path}" selects no value to change.`,
  },
  scim_path_required: { status: 400, message: 'An operation "remove" needs a path.' },
  scim_mutability: {
    status: 400,
    message: (attribute: string) => `The attribute ${attribute} cannot be changed or removed in this way.`,
  },
  scim_value_invalid: {
    status: 400,
    message: (attribute: string, expected: string) => `The attribute ${attribute} ${expected}.`,
  },
  scim_syntax_invalid: { status: 400, message: (problem: string) => `The body is not valid: ${problem}` },
  scim_version_outdated: {
    status: 412,
    message: 'The resource has another version than If-Match names. Read it again before you change it.',
  },
  scim_token_not_found: { status: 404, message: (id: number) => `SCIM token ${id} was not found.` },
});
