export { AuditModule } from './audit.module.js';
export { BEGINNING, type ChainPlace } from './chain-hash.js';
export type { ChainBreak } from './check-seals.js';
export { type KeptHead, type Verification, verifyChain } from './verify-chain.js';
