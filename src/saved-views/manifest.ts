import { defineDomain } from '../platform/domain.js';
import { SavedView } from './saved-view.entity.js';
import { SavedViewsModule } from './saved-views.module.js';

defineDomain('saved-views', {
  holds: 'Named states of the screens of the console, private or shared with the workspace',
  uses: [],
  module: () => SavedViewsModule,
  entities: [SavedView],
  tags: [
    { name: 'Saved views', description: 'Names for filters of the console, to share and come back to.', order: 184 },
  ],
});
