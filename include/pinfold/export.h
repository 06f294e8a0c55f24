// export.h: marks the symbols that libpinfold.so exports; all others have hidden visibility.
// Not here: the API itself.
#ifndef PINFOLD_EXPORT_H
#define PINFOLD_EXPORT_H

#define PINFOLD_API __attribute__((visibility("default")))

#endif
