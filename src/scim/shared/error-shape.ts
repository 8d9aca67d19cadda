import type { Problem } from '../../platform/errors/problem.js';

export const SCIM_TYPE = 'application/scim+json';
const ERROR_SCHEMA = 'urn:ietf:params:scim:api:messages:2.0:Error';

/** The `scimType` of RFC 7644 (table 9) by the code of the error. */
const SCIM_TYPES: Record<string, string> = {
  scim_uniqueness: 'uniqueness',
  scim_filter_invalid: 'invalidFilter',
  scim_path_invalid: 'invalidPath',
  scim_target_missing: 'noTarget',
  scim_path_required: 'noTarget',
  scim_mutability: 'mutability',
  scim_value_invalid: 'invalidValue',
  scim_syntax_invalid: 'invalidSyntax',
  validation_error: 'invalidValue',
  json_unreadable: 'invalidSyntax',
  json_too_deep: 'invalidSyntax',
};

/** An error as RFC 7644 words it. It knows no 422. */
export function toScimError({ status: given, code, message }: Problem): { status: number; type: string; body: object } {
  const status = given === 422 ? 400 : given;
  const scimType = SCIM_TYPES[code];
  const body = { schemas: [ERROR_SCHEMA], ...(scimType && { scimType }), detail: message, status: String(status) };
  return { status, type: SCIM_TYPE, body };
}
