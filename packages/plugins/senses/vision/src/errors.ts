import { defineErrors } from '@tenon/kernel';

/** Why an image cannot be looked at. */
export const errors = defineErrors('vision', {
  VISION_BLIND: {
    summary: 'The model "{model}" does not see images, and neither does another one of its provider.',
    next: 'Name a model that sees: `tenon config set models.roles.vision MODEL`. `tenon models list --all` says which models see.',
  },
  VISION_NOT_SENT: {
    summary: 'No image goes to a model: the setting vision.send is off.',
    next: 'Work without the image. Who may change the settings allows it with `tenon config set vision.send true`.',
  },
  VISION_IMAGE: {
    summary: 'The image "{path}" cannot be used: {reason}.',
    next: 'Give the path of a PNG, JPEG, GIF, WebP, BMP or TIFF file.',
  },
  VISION_FILE: {
    summary: 'The file "{path}" cannot be read: {reason}.',
    next: 'Check the path; `find` looks for files by name.',
  },
  VISION_NO_ANSWER: {
    summary: 'The model "{model}" gave no answer about the image: {reason}.',
    next: 'Try again, or name another model: `tenon config set models.roles.vision MODEL`.',
  },
});
