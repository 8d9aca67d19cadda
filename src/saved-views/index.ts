export { eraseSavedViews } from './erase-saved-views.queries.js';
export { SAVED_VIEW_EXAMPLES } from './example-ids.js';
