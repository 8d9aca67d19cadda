export { RetentionModule } from './retention.module.js';
export { RetentionPolicy } from './retention-policy.entity.js';
