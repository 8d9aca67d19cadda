export { SCIM_TYPE } from './error-shape.js';
export { ScimErrorBody } from './protocol/scim-operations.js';
export { ScimErrors } from './scim.errors.js';
export { ScimTokens } from './tokens/scim-tokens.service.js';
