export { ExternalIdMapping } from './external-id.entity.js';
export { ExternalIdBody, ExternalIdList, ExternalIdsField, ShownExternalIdsField } from './external-ids.dto.js';
export { ExternalIdErrors } from './external-ids.errors.js';
export { ExternalIdsModule } from './external-ids.module.js';
export {
  attachExternalIds,
  type EntityRef,
  findByExternalId,
  hasExternalId,
  lockExternalId,
  readExternalIds,
  releaseExternalIds,
} from './external-ids.queries.js';
