import { getMetadataStorage } from 'class-validator';

type Look = ReturnType<typeof getMetadataStorage>['getTargetValidationMetadatas'];

/**
 * Caches class-validator's metadata. For every checked object it searches all classes of the server for parents of the object's
 * class: with some hundred classes that takes longer than checking. Fields are complete when they are first used, so the result
 * can be kept.
 */
export function rememberMetadata(): void {
  const storage = getMetadataStorage();
  const look: Look = storage.getTargetValidationMetadatas.bind(storage);
  const found = new WeakMap<object, ReturnType<Look>>();
  storage.getTargetValidationMetadatas = (target, ...options) => {
    // Schemas and groups change the result; they are not used here.
    if (options.some(Boolean)) return look(target, ...options);
    let metadata = found.get(target);
    if (!metadata) found.set(target, (metadata = look(target, ...options)));
    return metadata;
  };
}
