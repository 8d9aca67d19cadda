import { getMetadataStorage } from 'class-validator';

type Look = ReturnType<typeof getMetadataStorage>['getTargetValidationMetadatas'];

/**
 * For every object that it checks, class-validator goes through all classes of the server to find those that the
 * object's class inherits from: with some hundred classes that takes longer than checking. Their fields are complete
 * when they are first used, so what was found is kept.
 */
export function rememberMetadata(): void {
  const storage = getMetadataStorage();
  const look: Look = storage.getTargetValidationMetadatas.bind(storage);
  const found = new WeakMap<object, ReturnType<Look>>();
  storage.getTargetValidationMetadatas = (target, ...options) => {
    // Schemas and groups change what is found; nobody uses them here.
    if (options.some(Boolean)) return look(target, ...options);
    let metadata = found.get(target);
    if (!metadata) found.set(target, (metadata = look(target, ...options)));
    return metadata;
  };
}
