#include "vecc_main.h"

int main(int argc, char** argv) {
  return vecc::tools::vecc_main(argc, argv);
}
