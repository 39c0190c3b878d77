/** Text of a model on its way to a terminal or a log: nothing in it may steer them, or make them show it in another order. */
export const plain = (text) =>
  String(text).replaceAll(/[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u2028-\u202e\u2066-\u2069]/g, '');
