import { defineDomain } from '../platform/domain.js';
import { shapeErrorsBelow } from '../platform/errors/error-shapes.js';
import { toScimError } from './shared/error-shape.js';
import { ScimGroup } from './groups/scim-group.entity.js';
import { ScimModule } from './scim.module.js';
import { ScimToken } from './tokens/scim-token.entity.js';

shapeErrorsBelow('/scim/', toScimError);

defineDomain('scim', {
  holds: 'SCIM 2.0: identity providers create, change and remove users and groups',
  uses: ['administration'],
  module: () => ScimModule,
  entities: [ScimGroup, ScimToken],
  tags: [
    {
      name: 'SCIM',
      description:
        'SCIM 2.0 (RFC 7643, RFC 7644) for identity providers: users and groups of the installation. These routes take a SCIM token as a bearer token.',
      order: 192,
    },
  ],
});
