import { defineDomain } from '../platform/domain.js';
import { ExternalIdMapping } from './external-id.entity.js';

defineDomain('external-ids', {
  holds: 'Ids that other systems use for entities of this server',
  uses: [],
  entities: [ExternalIdMapping],
});
