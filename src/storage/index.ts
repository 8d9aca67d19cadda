export { StorageService } from './storage.service.js';
export { Stores } from './stores.js';
