import { defineDomain } from '../platform/domain.js';
import { ExternalIdMapping } from './external-id.entity.js';

defineDomain('external-ids', {
  holds: 'Names that other systems have for entities of ours',
  uses: [],
  entities: [ExternalIdMapping],
});
