module.exports = (text, width) => text.padStart(width);
