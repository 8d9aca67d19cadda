export { SCIM_TYPE } from './shared/error-shape.js';
export { ScimErrorBody } from './protocol/scim-operations.js';
export { ScimErrors } from './shared/scim.errors.js';
export { ScimTokens } from './tokens/scim-tokens.service.js';
