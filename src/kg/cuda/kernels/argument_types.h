// Of what kernels are started with: numbers of tables and where they lie, as the host and the GPU
// have it. VECC_KG_NUMBER is defined by the text of a unit.
#pragma once

#ifdef __CUDACC_RTC__
using Number = VECC_KG_NUMBER;
#define VECC_KG_POINTER(type) type*
#else
#define VECC_KG_POINTER(type) unsigned long long
#endif
