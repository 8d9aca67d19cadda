export { IdentityProvider } from './identity-provider.entity.js';
export { Identities, type LinkedIdentity } from './identities.service.js';
export { type EndedAtProvider, Logouts } from './logouts.js';
export type { Provider } from './provider.js';
export { ATTEMPT_SECONDS, type Departed, type Departure } from './sign-in-attempts.js';
export { SingleSignOnErrors } from './single-sign-on.errors.js';
export { SingleSignOnModule } from './single-sign-on.module.js';
export { type SignedOn, SingleSignOn } from './single-sign-on.service.js';
